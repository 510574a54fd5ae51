import type { Body } from '../wire/dialect.ts'
import { drop, type Leniency } from '../wire/leniency.ts'

/** From the least thinking to the most. */
const order: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/**
 * The request with an effort that the model has: agents send theirs to every model. The nearest one takes the place of
 * another, and a model without efforts gets none. The client learns that from what was left out. A model that always
 * thinks gets its least effort for `none`.
 *
 * @param known the efforts of the model, empty when it has none
 */
export function fitEffort(body: Body, known: readonly string[], leniency: Leniency | undefined): Body {
  const { reasoning_effort: effort, ...rest } = body
  if (leniency === undefined || typeof effort !== 'string' || known.includes(effort)) return body
  const at = order.indexOf(effort)
  if (at === -1) return body
  drop(leniency, `reasoning_effort:${effort}`)
  const steps = (other: string) => Math.abs(order.indexOf(other) - at)
  const [nearest] = known.filter((other) => other !== 'none').toSorted((a, b) => steps(a) - steps(b))
  return nearest === undefined ? rest : { ...rest, reasoning_effort: nearest }
}
