import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import {
  type TrainerDataset,
  type TrainerFile,
  type TrainerLimits,
  type TrainerSpec,
  trainerProtocolVersion,
} from '@ratchet/contracts/trainer-spec'
import type { z } from 'zod'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Attempt, Examples } from './attempt.ts'

export interface SpecDeps {
  readonly artifacts: Pick<ArtifactStore, 'signDownload'>
  readonly limits: z.output<typeof TrainerLimits>
  /** Public id of a job. */
  readonly jobIdOf: (uuid: string) => string
  readonly now: () => Date
}

/** How long the URLs of a spec are good, milliseconds. A trainer asks for the spec again after that. */
export const downloadMs = 3_600_000

/** Questions of the fingerprint. They never change: answers of different attempts and servers are compared. */
export const probes = [
  'What is the capital of France?',
  'Write one sentence about the sea.',
  'List three colours.',
  'Translate "good morning" into German.',
  'What is 17 plus 25?',
  'Explain in one sentence why the sky is blue.',
  'Write a polite reply to a customer who waits for a parcel.',
  'Return a JSON object with the key "ok" and the value true.',
]

/** Everything that an attempt needs, with fresh URLs. */
export async function trainerSpec(
  { artifacts, limits, jobIdOf, now }: SpecDeps,
  attempt: Attempt & { readonly method: TrainerSpec['kind'] },
): Promise<TrainerSpec> {
  const { jobId, generation, method, seed, settings, training, validation, durable, warmStart } = attempt
  const expiresAt = new Date(now().getTime() + downloadMs)
  const datasetOf = async ({ sha256, bytes, count }: Examples): Promise<TrainerDataset> => ({
    format: method === 'dpo' ? 'preference' : 'chat',
    sha256,
    bytes,
    examples: count,
    url: (await artifacts.signDownload({ sha256, bytes }, expiresAt)).url,
  })
  const filesOf = async (files: readonly CheckpointFile[]): Promise<TrainerFile[]> => {
    const signed: TrainerFile[] = []
    for (const { name, sha256, bytes } of files) {
      signed.push({ name, sha256, bytes, url: (await artifacts.signDownload({ sha256, bytes }, expiresAt)).url })
    }
    return signed
  }
  return {
    protocol: trainerProtocolVersion,
    job_id: jobIdOf(jobId),
    attempt: generation,
    kind: method,
    ...settings,
    chat_template: null,
    seed,
    dataset: await datasetOf(training),
    validation: validation === null ? null : await datasetOf(validation),
    resume:
      durable === null
        ? null
        : { step: durable.step, trained_tokens: durable.trainedTokens, files: await filesOf(durable.files) },
    warm_start: warmStart === null || durable !== null ? null : await filesOf(warmStart),
    limits,
    probes,
  }
}
