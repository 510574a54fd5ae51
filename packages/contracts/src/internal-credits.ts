import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const ofOperators = { service: 'inference', audience: 'internal', callers: ['dashboard'] } as const

/** Nano-dollars as the digits of an integer. */
const Nano = z.string().regex(/^-?\d{1,19}$/)

/** At most a billion dollars. */
export const CreditNano = z.string().regex(/^(?:[1-9]\d{0,17}|10{18})$/, 'This must be 1 to 10^18 nano-dollars.')

export const creditWallet = endpoint({
  method: 'post',
  path: '/internal/credits',
  summary: 'Credit a wallet, as an operator decided.',
  description: 'A repeated reference changes nothing; one that was used for another credit is a 409 `conflict`.',
  ...ofOperators,
  body: z.strictObject({
    workspace_id: z.uuid(),
    amount_nano: CreditNano,
    reference: z.string().min(1).max(200),
    reason: z.string().min(1).max(500),
  }),
  errors: ['conflict'],
  reply: z.object({
    credited: z.boolean().describe('False when this credit was already made.'),
    balance_nano: Nano,
  }),
})

/** At most a billion dollars, given or taken. */
export const CorrectionNano = z
  .string()
  .regex(/^-?(?:[1-9]\d{0,17}|10{18})$/, 'This must be 1 to 10^18 nano-dollars, or as much below 0.')

export const correctWallet = endpoint({
  method: 'post',
  path: '/internal/corrections',
  summary: 'Correct a wallet, as an operator decided.',
  description:
    'A repeated reference changes nothing; one that was used for something else is a 409 `conflict`. A correction that would take more than is free is a 402 `insufficient_balance`: what running requests hold stays.',
  ...ofOperators,
  body: z.strictObject({
    workspace_id: z.uuid(),
    amount_nano: CorrectionNano,
    reference: z.string().min(1).max(200),
    reason: z.string().min(1).max(500),
  }),
  errors: ['conflict', 'insufficient_balance'],
  reply: z.object({
    corrected: z.boolean().describe('False when this correction was already made.'),
    balance_nano: Nano,
  }),
})
