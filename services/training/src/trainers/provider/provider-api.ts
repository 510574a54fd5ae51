import type { TrainerSpec } from '@ratchet/contracts/trainer-spec'

/** What a provider is asked to train. */
export interface ProviderOrder {
  /** The same for every attempt of a job, and of no other job: letters, digits and dashes, at most 40. */
  readonly name: string
  readonly spec: TrainerSpec
  /** Lines of JSON, in OpenAI's format of the method. */
  readonly training: Buffer
  readonly validation: Buffer | null
}

/** A job of the provider, as far as it says. */
export interface ProviderJob {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  /** Why it failed, for the customer. */
  readonly message: string | null
  /** From 0 to 1. */
  readonly progress: number
  /** Tokens of all epochs, as the provider bills them; null before it has counted them. */
  readonly trainedTokens: number | null
  /** Of one that succeeded: under which name the provider serves it. */
  readonly model: string | null
}

/** The fine-tuning of a provider. Calls that failed on the way are repeated inside. */
export interface ProviderApi {
  /** Id of the provider in the catalog. */
  readonly provider: 'together' | 'fireworks'
  /** The job that an earlier attempt has created. */
  find(order: Pick<ProviderOrder, 'name' | 'spec'>): Promise<ProviderJob | null>
  /** Not repeated inside. @throws ProviderSilent when it may have been created; ProviderRefused */
  create(order: ProviderOrder): Promise<ProviderJob>
  read(id: string): Promise<ProviderJob>
  /** Does nothing for one that has ended. */
  cancel(id: string): Promise<void>
}

/** The provider does not take the job, however often it is asked. */
export class ProviderRefused extends Error {
  override name = 'ProviderRefused'
  readonly status: number

  /** @param message of the provider, shortened */
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A call that was not repeated got no answer, so it may have had its effect. */
export class ProviderSilent extends ProviderRefused {
  override name = 'ProviderSilent'
}
