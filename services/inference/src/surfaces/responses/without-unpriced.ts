import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { Body } from '../../wire/dialect.ts'
import { drop, type Leniency } from '../../wire/leniency.ts'
import { unsupported } from '../../wire/refusal.ts'

/**
 * Members about services of OpenAI beside the answer. Without `background`, the answer is complete when the client asks
 * for it for the first time.
 */
const services = ['background', 'context_management', 'moderation', 'access_programs', 'image'] as const

/**
 * The edits of a Responses body that remove such services, and `generate`, which only this gateway reads.
 *
 * @throws Refusal naming the service, without leniency
 */
export function withoutUnpriced(body: Body, leniency: Leniency | undefined): JsonEdits {
  const asked = services.filter((name) => (body[name] ?? false) !== false)
  for (const param of asked) {
    if (leniency === undefined) throw unsupported(param, 'it is a service beside the answer')
    drop(leniency, param)
  }
  return Object.fromEntries([...asked, ...('generate' in body ? ['generate'] : [])].map((name) => [name, undefined]))
}
