import { smallModelWeights } from '@ratchet/infra/trainers/install-small-model'
import { type MountedCatalog, mountedCatalog } from '../mounted-catalog.ts'
import { type ServedModel, serveWeights } from './python-trainer.ts'

/** Id of the small model in its catalog. */
export const smallModel = 'small/smollm2'
const servedName = 'smollm2'

/** The weights of the small model, which `npm run test:trainers -- --small-model` has downloaded. */
function weights(): string {
  const file = process.env.RATCHET_SMALL_MODEL
  if (file === undefined) throw new Error('RATCHET_SMALL_MODEL is not set. Use npm run test:trainers -- --small-model.')
  return file
}

/** Serves the small model on this machine, as a provider does. */
export const serveSmallModel = (): Promise<ServedModel> => serveWeights(weights(), servedName)

/**
 * A catalog whose only model is the small one.
 *
 * @param baseUrl what answers as the model, by default nothing
 */
export function smallCatalog(baseUrl = 'http://127.0.0.1:9'): Promise<MountedCatalog> {
  const training = {
    trainers: ['process'],
    source: weights(),
    source_sha256: smallModelWeights.sha256,
    supervised_per_mtok: '40',
    dpo_per_mtok: '40',
    grpo_train_per_mtok: '40',
    grpo_sample_per_mtok: '20',
    max_context: 512,
    lora_ranks: [8 as const],
    full: false,
    supports_tools: false,
    license: 'Apache-2.0',
  }
  return mountedCatalog({
    providers: [{ id: 'small', base_url: `${baseUrl}/v1` }],
    models: [{ id: smallModel, upstream_model: servedName, context_window: 2_048, max_output_tokens: 512, training }],
  })
}
