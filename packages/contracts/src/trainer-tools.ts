import { z } from 'zod'
import { kibibyte } from './byte-sizes.ts'
import { ToolAnswer } from './environment-tools.ts'
import { storable } from './storable.ts'
import type { TrainerCall } from './trainer-protocol.ts'
import { trainerProtocolVersion } from './trainer-spec.ts'

/** Names of calls and episodes. */
const name = storable(z.string().min(1).max(200))

interface Episode {
  readonly kind: 'step' | 'look'
  readonly step: number
  readonly group: number
  readonly index: number
}

/** Name of an episode: one answer of a step or a look. */
export function episodeName({ kind, step, group, index }: Episode): string {
  return `${kind}-${step}-${group}-${index}`
}

/**
 * A call of a tool in a run. The fleet calls it, because trainers have no other network. A call that is repeated with the same
 * `call_id` is answered with what the first one came to. It may take two minutes. 503: another request with this `call_id` is under way, or
 * the service stops; repeat it. An error of the tool is no error of this call: the model sees `result`.
 */
export const toolsCall = {
  method: 'post',
  path: `/internal/trainer/v${trainerProtocolVersion}/tools/call`,
  maxBodyBytes: 64 * kibibyte,
  body: z.strictObject({
    rollout: name.describe(
      'The episode, such as `step-3-0-2`: `step` or `look`, its number, group and index. Tools with a state keep it under this name, and those that grade are told it.',
    ),
    step: z.int().min(0),
    tool: z.string().min(1).max(200).describe('Its name, as the model wrote it.'),
    arguments: z
      .string()
      .max(16_384)
      .describe('JSON text, as the model wrote it. What is no object is an error that the model sees.'),
    call_id: name.describe('Unique in the run, the same in every repetition: such as rollout and number of the call.'),
  }),
  reply: ToolAnswer,
} as const satisfies TrainerCall
