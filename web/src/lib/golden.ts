/** For tests: the frames in a golden transcript (`tests/golden`). */

/** What one of these viewers ("seat0", "watcher/cambia" …) was sent, each frame once. */
export function framesFor(transcript: string, ...viewers: string[]): unknown[] {
  return transcript.split('\n').flatMap((line) => {
    const [, sentTo, frame] = /^ {2}< (\S+) (.*)$/.exec(line) ?? []
    const wanted = sentTo?.split(',').some((viewer) => viewers.includes(viewer))
    return wanted && frame ? [JSON.parse(frame) as unknown] : []
  })
}
