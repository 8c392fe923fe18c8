import { onDestroy } from 'svelte'

/** Runs `work` now and `every` milliseconds after it ended, until it returns false or the component
 *  is gone. The function that is returned runs it at once. */
export function poll(work: () => Promise<boolean>, every: number): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let gone = false

  async function run(): Promise<void> {
    clearTimeout(timer)
    const goOn = await work()
    // It may have run twice at once.
    clearTimeout(timer)
    if (goOn && !gone) timer = setTimeout(run, every)
  }

  onDestroy(() => {
    gone = true
    clearTimeout(timer)
  })
  void run()
  return run
}
