import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { SpendCap } from './identity.ts'

/** The digits of a `bigint`, because a JSON number cannot hold it. */
const Nano = z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/)
const Id = z.uuid().lowercase()

const ofVoice = { service: 'inference', audience: 'internal', callers: ['voice'] } as const
const oneHold = { params: z.strictObject({ hold_id: Id }) } as const

/** The end of a hold. */
const Closed = z.object({ charged_nano: Nano.describe('What the hold was charged in all, at most its amount.') })

export const takeCallHold = endpoint({
  ...ofVoice,
  method: 'post',
  path: '/internal/call_holds',
  summary: 'Hold money for a slice of a call.',
  description:
    'A repetition changes nothing but the owner, so a worker takes over what was held before it. `insufficient_balance`: the wallet does not cover it. `spend_cap_reached`: the cap does not. `conflict`: the hold was settled or released.',
  body: z.strictObject({
    hold_id: Id.describe('Chosen by the caller, the same in every repetition.'),
    owner_id: Id.nullable().describe(
      'The worker that sends checkpoints. While it does, nothing closes the hold. Null: nobody yet, so the hold is closed `keep_ms` from now.',
    ),
    amount_nano: Nano,
    keep_ms: z
      .int()
      .min(1_000)
      .max(600_000)
      .describe('Milliseconds from now until it may be closed without a checkpoint.'),
    model: z.string().min(1).max(200).describe('What the usage of the workspace lists it under.'),
    tag: z.string().min(1).max(64).describe('The agent.'),
    cap: SpendCap.optional().describe('Of all calls that have it, beside the wallet.'),
  }),
  reply: z.object({ outcome: z.literal('held') }),
  errors: ['insufficient_balance', 'spend_cap_reached', 'conflict'],
})

export const checkpointCallHolds = endpoint({
  ...ofVoice,
  method: 'post',
  path: '/internal/call_holds/checkpoints',
  summary: 'Report what slices of calls have cost until now, and that their worker lives.',
  description:
    'Charged if the worker dies. Costs only grow: a lower one changes nothing. Each hold is kept for `keep_ms` from now. The identity is that of the fleet.',
  body: z.strictObject({
    owner_id: Id,
    keep_ms: z.int().min(1_000).max(600_000),
    items: z.array(z.strictObject({ hold_id: Id, workspace_id: Id, cost_nano: Nano })).max(1_000),
  }),
  reply: z.object({ object: z.literal('checkpoints') }),
})

export const settleCallHold = endpoint({
  ...ofVoice,
  ...oneHold,
  method: 'post',
  path: '/internal/call_holds/:hold_id/settle',
  summary: 'Charge a slice of a call, and release the rest of its hold.',
  description:
    'The first settle is final: a repetition answers with what it charged. A hold that was closed because its worker died is charged the difference, as far as the wallet covers it.',
  body: z.strictObject({ cost_nano: Nano }),
  reply: Closed,
})

export const releaseCallHold = endpoint({
  ...ofVoice,
  ...oneHold,
  method: 'post',
  path: '/internal/call_holds/:hold_id/release',
  summary: 'Release the hold of a slice of a call, and charge nothing.',
  description: 'A hold that was never taken can no longer be taken. One that was settled stays so.',
  reply: Closed,
})

export const readCharges = endpoint({
  ...ofVoice,
  method: 'post',
  path: '/internal/charges/read',
  summary: 'Read what requests of a workspace cost.',
  description: 'A request that nothing was charged or held for is not in the list.',
  body: z.strictObject({ request_ids: z.array(Id).max(1_000) }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        request_id: z.uuid(),
        cost_nano: Nano.nullable().describe('Null while it runs.'),
      }),
    ),
  }),
})
