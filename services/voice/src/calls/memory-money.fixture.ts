import type { CallCosts, CallMeterEvents, CallMoney, CallUsage, PaidCall } from './call-money.ts'

/** What happened to the money of a call. */
export type MoneyMove =
  | { readonly kind: 'held' | 'released'; readonly callId: string }
  | { readonly kind: 'begun' | 'settled'; readonly callId: string; readonly usage: CallUsage }

export interface MemoryMoney {
  readonly money: CallMoney
  readonly costs: CallCosts
  readonly moves: MoneyMove[]
  readonly checkpoints: Map<string, CallUsage>
  /** Of meters that run. */
  readonly meters: Map<string, CallMeterEvents>
  /** Whether the wallet covers a start. */
  isCovered: boolean
}

/** Money that only remembers what was asked of it. */
export function memoryMoney(): MemoryMoney {
  const moves: MoneyMove[] = []
  const checkpoints = new Map<string, CallUsage>()
  const meters = new Map<string, CallMeterEvents>()
  const state: MemoryMoney = {
    moves,
    checkpoints,
    meters,
    isCovered: true,
    costs: {
      async read() {
        const nothing = { telephonyNano: 0n, recognitionNano: 0n, synthesisNano: 0n, platformNano: 0n }
        return { ...nothing, modelNano: 1_500_000n, isSettled: true }
      },
    },
    money: {
      hasPrice: () => true,
      async hold({ callId }: PaidCall) {
        if (!state.isCovered) return 'refused'
        moves.push({ kind: 'held', callId })
        return 'held'
      },
      async release({ callId }) {
        moves.push({ kind: 'released', callId })
      },
      async begin({ callId }, { usage }, events) {
        if (!state.isCovered) return 'refused'
        moves.push({ kind: 'begun', callId, usage })
        meters.set(callId, events)
        return {
          checkpoint: (used) => void checkpoints.set(callId, used),
          async settle(used) {
            moves.push({ kind: 'settled', callId, usage: used })
            meters.delete(callId)
          },
        }
      },
    },
  }
  return state
}
