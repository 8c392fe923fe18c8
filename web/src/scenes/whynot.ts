/** Why an action can't be done now, in a sentence. */
import { said, t } from '../lib/messages'
import type { Scene } from '../protocol/extras'
import { actionsAt, isPicked, spent, type Draft } from './choose'
import type { SceneDesk } from './desk.svelte'

/** Why an action can't be done now; "": it can, or the server says why not. */
export function whyNot(desk: SceneDesk, action: string): string {
  const { scene, picked } = desk
  const choices = (scene?.choices ?? []).filter((choice) => choice.action === action)
  if (!scene || choices.length === 0) return notNow(desk)
  if (desk.isLit(action) || !needsThings(scene, action)) return ''
  const domains = choices.flatMap(({ fields = {} }) => Object.values(fields))
  const some = domains.find((domain) => domain.type === 'some')
  const range =
    some && (some.least === some.most ? some.least : t('{least} or more', { least: some.least }))
  const what = some?.rule ? said(some.rule) : range || t('one')
  const label = desk.label(action)
  if (picked.length === 0) return t('{label}: pick {what} first.', { label, what })
  // Where every list of the right length will do, the page knows why not.
  const wrong = some && !some.sets && (picked.length < some.least || picked.length > some.most)
  return !wrong && tried(desk, action) ? '' : t('{label}: pick {what}.', { label, what })
}

/** The prompt says what the table waits for instead. */
export function notNow(desk: SceneDesk): string {
  return desk.text(desk.scene?.prompt ?? '') || t('Not now.')
}

/** The picked things as an action that is not among the choices: the server says why not. */
export function tried({ scene, picked }: SceneDesk, action: string): Draft | null {
  if (!scene || !needsThings(scene, action)) return null
  const choice = scene.choices?.find((one) => one.action === action)
  const draft = choice ? spent(scene, choice, picked) : null
  const whole =
    draft && Object.keys(draft.fields).length === Object.keys(choice?.fields ?? {}).length
  return whole ? draft : null
}

function needsThings(scene: Scene, action: string): boolean {
  return scene.zones.some(
    (zone) => isPicked(scene, zone) && actionsAt(scene, zone).includes(action),
  )
}
