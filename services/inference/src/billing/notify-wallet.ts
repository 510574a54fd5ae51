import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import type { TopUpStore } from '../payments/top-ups.ts'
import type { AlertStore } from '../wallet-alerts/wallet-alert.ts'
import type { AllAccounts } from './sharded-accounts.ts'

/** Says that a wallet changed by something else than requests, so that open pages read it again. Never how. */
export type NotifyWallet = (workspaceId: string) => Promise<void>

export function createNotifyWallet(notify: NotifyLive, now: () => Date): NotifyWallet {
  return async (workspaceId) => {
    await notify(workspaceId, { topic: 'wallet', id: 'wallet', version: now().getTime() })
  }
}

/** Each notice is sent after the change; a credit or a correction that was made before changes nothing. */
export function withCreditNotices(accounts: AllAccounts, notify: NotifyWallet): AllAccounts {
  return {
    ...accounts,
    async credit(credit) {
      const made = await accounts.credit(credit)
      if (made.credited) await notify(credit.workspaceId)
      return made
    },
    async correct(correction) {
      const made = await accounts.correct(correction)
      if (made.corrected) await notify(correction.workspaceId)
      return made
    },
  }
}

/** A payment is credited before its top-up ends, so this is the moment at which pages show both. */
export function withTopUpNotices(store: TopUpStore, notify: NotifyWallet): TopUpStore {
  return {
    ...store,
    async end(id, workspaceId, status, at) {
      await store.end(id, workspaceId, status, at)
      await notify(workspaceId)
    },
  }
}

/** A wallet that fell below its threshold, or is above it again. */
export function withAlertNotices(alerts: AlertStore, notify: NotifyWallet): AlertStore {
  return {
    ...alerts,
    async cross(crossing) {
      await alerts.cross(crossing)
      await notify(crossing.workspaceId)
    },
  }
}
