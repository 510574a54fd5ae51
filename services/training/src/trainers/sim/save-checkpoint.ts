import { createHash } from 'node:crypto'
import { type CheckpointFile, trainerCalls } from '@ratchet/contracts/trainer-protocol'
import type { TrainerSpec } from '@ratchet/contracts/trainer-spec'
import { TrainerCallRefused, type TrainerClient } from '../trainer-client.ts'
import { type Matrix, writeSafetensors } from './write-safetensors.ts'

export interface SimCheckpoint {
  readonly step: number
  readonly epoch: number
  readonly trainedTokens: number
  readonly metrics: Readonly<Record<string, number | null>>
  readonly servedAs: string | null
  readonly adapter: readonly Matrix[]
  /** What a later attempt needs beside the adapter. */
  readonly state?: object
}

/** What a checkpoint says of its training. */
interface Trained {
  readonly base_model: Pick<TrainerSpec['base_model'], 'id'>
  readonly hyperparameters: Pick<TrainerSpec['hyperparameters'], 'lora_rank' | 'lora_alpha'>
}

/** Uploads of one checkpoint until it is durable. */
const maxUploads = 3

/** Stores a checkpoint. @returns whether the job ends with it */
export async function saveCheckpoint(
  client: TrainerClient,
  spec: Trained,
  { step, epoch, trainedTokens, metrics, servedAs, adapter, state }: SimCheckpoint,
): Promise<{ readonly stop: boolean }> {
  const contents = new Map<string, Buffer>([
    ['adapter_model.safetensors', writeSafetensors(adapter)],
    ['adapter_config.json', Buffer.from(JSON.stringify(configOf(spec, servedAs), null, 2))],
    ['trainer_state.json', Buffer.from(JSON.stringify(state ?? { step, epoch, trained_tokens: trainedTokens }))],
  ])
  const files = [...contents].map(([name, bytes]): CheckpointFile => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { name, kind: name === 'trainer_state.json' ? 'state' : 'adapter', sha256, bytes: bytes.length }
  })
  for (let uploads = 1; ; uploads += 1) {
    const begun = await client.call(trainerCalls.beginCheckpoint, { step, files })
    for (const { name, url, headers } of begun.uploads) {
      if (url !== null) await client.upload(url, headers, contents.get(name) ?? Buffer.alloc(0))
    }
    try {
      const commit = { step, trained_tokens: trainedTokens, epoch, metrics: { ...metrics }, served_as: servedAs }
      return await client.call(trainerCalls.commitCheckpoint, commit)
    } catch (error) {
      const mayPass = error instanceof TrainerCallRefused && error.code === 'checkpoint_incomplete'
      if (!mayPass || uploads >= maxUploads) throw error
    }
  }
}

/** As PEFT writes it, with the model of the simulated provider that answers as it does. */
function configOf({ base_model: base, hyperparameters }: Trained, servedAs: string | null): object {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base.id,
    r: hyperparameters.lora_rank,
    lora_alpha: hyperparameters.lora_alpha,
    lora_dropout: 0,
    bias: 'none',
    target_modules: ['q_proj'],
    simulated_as: servedAs,
  }
}
