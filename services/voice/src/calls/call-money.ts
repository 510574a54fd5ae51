import type { CallDirection } from '@ratchet/contracts/voice/calls'
import type { NumberProvider } from '@ratchet/contracts/voice/number-providers'

/** What of a call decides its price. */
export interface PaidCall {
  readonly workspaceId: string
  /** UUID; also the trace of its requests to models. */
  readonly callId: string
  /** UUID. The workspace's usage lists the call under its agent. */
  readonly agentId: string
  /** `test`: only requests to models cost something. */
  readonly env: 'live' | 'test'
  /** Null: a web call. */
  readonly telephony: PaidTelephony | null
  /** `<provider>/<name>`, as agents have it. */
  readonly voice: string
  /** `<provider>/<model>` of speech recognition, or `<provider>` of one without models. */
  readonly recognizer: string
  /** Model or alias of the agent. */
  readonly model: string
}

export interface PaidTelephony {
  readonly provider: NumberProvider
  readonly direction: CallDirection
  /** E.164. */
  readonly calledNumber: string
}

/** What a call has used since it was answered, over all workers that held it. It only grows. */
export interface CallUsage {
  /** From the answer until now, without the time in which no worker held the call. */
  readonly answeredMs: number
  /** Audio that was given to speech recognition. */
  readonly recognizedMs: number
  /** Characters that were given to the synthesizer, heard or not. */
  readonly spokenCharacters: number
}

export const noUsage: CallUsage = { answeredMs: 0, recognizedMs: 0, spokenCharacters: 0 }

/**
 * Money of calls. A call is paid in slices of 60 seconds: each is held before it begins, has a checkpoint every second, and is
 * charged when it ends. What was held by a worker that died is charged at its last checkpoint.
 */
export interface CallMoney {
  /** Whether every part of the call has a price. What has none is not run. */
  hasPrice(call: PaidCall): boolean
  /**
   * Holds the first slice, before the call is created. Repeating it for the same call changes nothing.
   *
   * @returns `refused`: the wallet does not cover it
   * @throws ServiceError `service_unavailable` when it cannot be known
   */
  hold(call: PaidCall): Promise<'held' | 'refused'>
  /** The call will not be answered: what is held for it is given back. Repeating it changes nothing. */
  release(call: PaidCall): Promise<void>
  /**
   * A worker holds an answered call from now on. The first generation uses the slice of {@link hold}; later ones, after a worker
   * died or was stopped, hold a new slice.
   *
   * @param usage of the generations before
   * @returns `refused`: the wallet does not cover it
   * @throws ServiceError `service_unavailable`
   */
  begin(
    call: PaidCall,
    part: { readonly generation: number; readonly usage: CallUsage },
    events: CallMeterEvents,
  ): Promise<CallMeter | 'refused'>
}

export interface CallMeterEvents {
  /** The next slice is not covered; `leftMs` are still paid. Called at most once. */
  onLow(leftMs: number): void
  /** From now on nothing is paid: the call must end. Called at most once. */
  onEmpty(reason: 'insufficient_credits' | 'billing_unavailable'): void
}

export interface CallMeter {
  /** To be called about once a second. Never throws; failures are retried until the slice runs out. */
  checkpoint(usage: CallUsage): void
  /**
   * The call has ended, or another worker takes it over: charges what was used. Later checkpoints change nothing.
   *
   * @returns when it is booked, or is certain to be booked by others at the last checkpoint
   */
  settle(usage: CallUsage): Promise<void>
}

/** Integer nano-dollars. */
export interface CallCost {
  readonly telephonyNano: bigint
  readonly recognitionNano: bigint
  readonly modelNano: bigint
  readonly synthesisNano: bigint
  readonly platformNano: bigint
  /** False while charges are under way. */
  readonly isSettled: boolean
}

/** Reads what calls cost. */
export interface CallCosts {
  /** @returns null when it cannot be read at the moment */
  read(call: Pick<PaidCall, 'workspaceId' | 'callId'>): Promise<CallCost | null>
}
