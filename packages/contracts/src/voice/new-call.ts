import { z } from 'zod'
import { recordOf } from '../list-of.ts'
import { storable } from '../storable.ts'
import { agentFields, E164 } from './agent-fields.ts'

const maxVariables = 50
export const callVersion = z.int().min(1).max(1_000_000)

const callFields = z.strictObject({
  agent_id: z.string().max(100),
  type: z.literal('web').optional().describe('`web`: a browser or a program connects to `join_url`.'),
  to_number: E164.optional().describe('The telephone that is called. Without it, `type` is required.'),
  number_id: z.string().max(100).optional().describe('The number of the workspace that calls; or `from_number`.'),
  from_number: E164.optional().describe('The same by its number.'),
  agent_version: callVersion.optional().describe('Without it: the published one.'),
  variables: recordOf(z.string().max(64), storable(z.string().max(2_000)))
    .refine((values) => Object.keys(values).length <= maxVariables, `At most ${maxVariables} variables.`)
    .default({})
    .describe('Values of the variables that the agent declares.'),
  metadata: agentFields.metadata.default({}),
  schedule_at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe(
      'Dials no earlier, at most seven days from now. The first minute is held then: without credits the call ends as `insufficient_credits`.',
    ),
  max_duration_seconds: agentFields.max_duration_seconds.optional().describe('Instead of that of the agent.'),
  first_message: agentFields.first_message.optional().describe('Instead of that of the agent.'),
})

export const CreateCall = callFields
  .refine((call) => (call.to_number === undefined) !== (call.type === undefined), {
    message: 'State either `to_number` or `type: "web"`.',
    path: ['to_number'],
  })
  .refine(
    (call) =>
      [call.number_id, call.from_number].filter((each) => each !== undefined).length ===
      (call.to_number === undefined ? 0 : 1),
    {
      message: 'A call to `to_number` needs `number_id` or `from_number`, and no other call has one.',
      path: ['number_id'],
    },
  )
  .refine((call) => call.schedule_at === undefined || call.to_number !== undefined, {
    message: 'Only a call to `to_number` can be scheduled.',
    path: ['schedule_at'],
  })
export type CreateCall = z.output<typeof CreateCall>
