import { trainerCalls } from '@ratchet/contracts/trainer-protocol'
import { createInWorkerTrainer } from '../in-worker-trainer.ts'
import type { Trainer } from '../trainer.ts'
import { createTrainerClient } from '../trainer-client.ts'
import type { ProviderApi } from './provider-api.ts'
import { isSuperseded, runProviderAttempt } from './run-provider-attempt.ts'

/** The API of a provider for one attempt. */
export interface ConnectedProvider {
  readonly api: ProviderApi
  readonly close: () => Promise<void>
}

export interface ProviderTrainerOptions {
  readonly name: 'together' | 'fireworks'
  readonly slots: number
  readonly connect: (killed: AbortSignal) => ConnectedProvider
  readonly now: () => Date
  /** Between two looks at a job of the provider, milliseconds. */
  readonly pollMs: number
  /** How long a call to the service is repeated that gets no answer, milliseconds. */
  readonly retryForMs: number
  /** Called when an attempt ends without a word to the service, before it counts as lost. */
  readonly onFailed: (error: unknown) => void
  /** Called when an attempt has exited. */
  readonly onExit: (name: string) => void
}

/**
 * Follows jobs that a provider trains. What runs here only looks at them: they go on when the worker stops, and the next
 * attempt finds them.
 */
export function createProviderTrainer(options: ProviderTrainerOptions): Trainer {
  const { name, slots, connect, now, pollMs, retryForMs, onFailed, onExit } = options
  return createInWorkerTrainer({
    name,
    slots,
    onExit,
    async run({ url, token }, { isPreempted, killed }) {
      const client = createTrainerClient({ url, token, killed, retryForMs })
      const { api, close } = connect(killed)
      const abandon = async (id: string) => {
        const apart = connect(new AbortController().signal)
        await apart.api.cancel(id).finally(apart.close)
      }
      const isOver = async () => {
        const apart = createTrainerClient({ url, token, killed: new AbortController().signal, retryForMs })
        const known = apart.call(trainerCalls.spec, {}).then(() => false, isSuperseded)
        return await known.finally(() => apart.close())
      }
      const deps = { client, api, now, isPreempted, killed, pollMs, abandon, isOver, onFailed }
      return await runProviderAttempt(deps).finally(() => Promise.all([client.close(), close()]))
    },
  })
}
