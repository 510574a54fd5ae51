import type { Wallet } from '@ratchet/contracts/billing'
import type { z } from 'zod'

/** The wallet as the endpoint replies; all amounts are of the same moment. */
export type WalletReply = z.output<typeof Wallet>
