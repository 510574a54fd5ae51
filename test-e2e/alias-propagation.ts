import { eventually } from '@ratchet/testing/eventually'
import type { Api } from './judged-traffic.ts'

/**
 * Waits until the last change of an alias applies: every process follows within two seconds, and the gate counts answers
 * that begin at least three seconds after the change.
 *
 * @param afterMs time since the change, milliseconds
 */
export async function untilInForce(api: Api, name: string, afterMs = 3_500): Promise<void> {
  const { json } = await api('GET', `/aliases/${name}`)
  const changedAt = Date.parse(json.updated_at)
  await eventually(() => Date.now() - changedAt >= afterMs, { withinMs: afterMs + 5_000 })
}
