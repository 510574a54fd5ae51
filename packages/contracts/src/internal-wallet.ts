import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Digits of a `bigint`, which JSON has no number for. */
const Nano = z.string().regex(/^\d{1,19}$/)

/** What a workspace can still spend, for services that spend it; the edge has no way here. */
export const readWallet = endpoint({
  method: 'get',
  path: '/internal/wallet',
  summary: 'See what a workspace can spend.',
  description: 'Nano-dollars, all of one moment. A workspace that was never credited has nothing.',
  service: 'inference',
  reply: z.object({
    balance_nano: Nano,
    held_nano: Nano.describe('Promised to requests that are running.'),
    available_nano: Nano.describe('The rest.'),
  }),
})
