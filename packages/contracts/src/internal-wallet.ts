import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The digits of a `bigint`, because a JSON number cannot hold it. */
const Nano = z.string().regex(/^\d{1,19}$/)

/** The spendable balance of a workspace, for services that spend it. The edge does not forward to it. */
export const readWallet = endpoint({
  method: 'get',
  path: '/internal/wallet',
  summary: 'Read the balance of a workspace.',
  description: 'Nano-dollars, all at the same moment. A workspace without credit has 0.',
  service: 'inference',
  audience: 'internal',
  callers: ['eval', 'training', 'voice'],
  reply: z.object({
    balance_nano: Nano,
    held_nano: Nano.describe('Held by running requests.'),
    available_nano: Nano.describe('The balance without the holds.'),
  }),
})
