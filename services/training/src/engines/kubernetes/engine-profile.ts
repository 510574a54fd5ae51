import { z } from 'zod'
import type { EngineOrder } from '../engines.ts'

const Container = z.looseObject({ name: z.string(), args: z.array(z.string()).default([]) })
const Labels = z.record(z.string(), z.string()).default({})

const PodManifest = z.looseObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata: z.looseObject({ labels: Labels }).prefault({}),
  spec: z.looseObject({ containers: z.array(Container).min(1) }),
})
type PodManifest = z.output<typeof PodManifest>

/** How engines of some models are started on a cluster. An operator writes one file for each. */
export const EngineProfile = z.strictObject({
  models: z
    .array(z.string().min(1))
    .min(1)
    .describe('Ids of the catalog. `*` stands for any that no other profile names.'),
  hardware: z
    .array(z.string().min(1))
    .default([])
    .describe('Kinds of machines that it is for; without any, for engines that ask for none.'),
  manifest: PodManifest.describe(
    'As `kubectl create` takes it. The worker sets its name and a label, and adds arguments of vLLM to its container `engine`.',
  ),
})
export type EngineProfile = z.output<typeof EngineProfile>

/** The label of everything that is started here; its value is the name of the installation. */
export const engineOwnerLabel = 'ratchet-engines'

export interface EngineScope {
  readonly namespace: string
  /** Of this installation, which may share the namespace with others. */
  readonly owner: string
}

/** The first profile for the hardware that names the model, else the first for any model, else null. */
export function profileOf(
  profiles: readonly EngineProfile[],
  { baseModel, hardware }: Pick<EngineOrder, 'baseModel' | 'hardware'>,
): EngineProfile | null {
  const fitting = profiles.filter((each) =>
    hardware === null ? each.hardware.length === 0 : each.hardware.includes(hardware),
  )
  return (
    fitting.find(({ models }) => models.includes(baseModel)) ??
    fitting.find(({ models }) => models.includes('*')) ??
    null
  )
}

/**
 * The pod of an engine: the manifest of its profile with its name, its label, and what it serves.
 *
 * @throws Error for a profile without a container `engine`
 */
export function podOf({ manifest }: EngineProfile, order: EngineOrder, { namespace, owner }: EngineScope): PodManifest {
  const pod = structuredClone(manifest)
  Object.assign(pod.metadata, { name: order.name, namespace })
  pod.metadata.labels[engineOwnerLabel] = owner
  const engine = pod.spec.containers.find(({ name }) => name === 'engine')
  if (engine === undefined) throw new Error('the pod of an engine profile needs a container `engine`')
  engine.args.push(...argumentsOf(order))
  return pod
}

/** Those of vLLM. What depends on the machine, such as the largest rank, is in the profile. */
function argumentsOf({
  modelSource,
  baseModel,
  maxAdapters,
  maxContextLength,
  precision,
}: EngineOrder): readonly string[] {
  return [
    `--model=${modelSource}`,
    `--served-model-name=${baseModel}`,
    ...(maxAdapters === 0 ? [] : ['--enable-lora', `--max-cpu-loras=${maxAdapters}`]),
    ...(maxContextLength === null ? [] : [`--max-model-len=${maxContextLength}`]),
    ...(precision === 'bf16' ? ['--dtype=bfloat16'] : []),
    ...(precision === 'fp8' ? ['--quantization=fp8'] : []),
  ]
}
