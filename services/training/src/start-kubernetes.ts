import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { connectCluster } from './trainers/kubernetes/kubernetes-cluster.ts'
import { createKubernetesTrainer } from './trainers/kubernetes/kubernetes-trainer.ts'
import { LaunchProfile } from './trainers/kubernetes/launch-profile.ts'
import type { Trainer } from './trainers/trainer.ts'

/** Settings of the worker, for `kubernetes` among `TRAINERS`. */
export const kubernetesConfig = {
  /** Folder of launch profiles, one JSON file each, in the order of their names. */
  KUBERNETES_PROFILES: z.string().min(1).default('/etc/ratchet/launch-profiles'),
  /** Where trainers are started. */
  KUBERNETES_NAMESPACE: z.string().min(1).default('ratchet-trainers'),
  /** Name of this installation among those that share the namespace. */
  KUBERNETES_OWNER: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/)
    .default('ratchet'),
  /** Where Jobs reach the API of training, when that is not `TRAINER_URL`. */
  KUBERNETES_TRAINER_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** A file as `kubectl` reads it. Absent: the account of the worker's own pod. */
  KUBERNETES_CONFIG: z.string().min(1).optional(),
}
const KubernetesConfig = z.object(kubernetesConfig)
type KubernetesConfig = z.output<typeof KubernetesConfig>

/** @throws Error when there is no profile, when one is wrong, or when the access to the cluster cannot be read */
export async function startKubernetesTrainer(config: KubernetesConfig, slots: number): Promise<Trainer> {
  const scope = { namespace: config.KUBERNETES_NAMESPACE, owner: config.KUBERNETES_OWNER }
  const profiles = readProfiles(config.KUBERNETES_PROFILES)
  const path = config.KUBERNETES_CONFIG
  const cluster = await connectCluster(path === undefined ? { kind: 'pod' } : { kind: 'file', path }, scope)
  return createKubernetesTrainer({ cluster, slots, profiles, url: config.KUBERNETES_TRAINER_URL, ...scope })
}

/** @throws Error naming the file that is wrong */
export function readProfiles(folder: string): readonly LaunchProfile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  if (files.length === 0) throw new Error(`${folder} has no launch profile, but \`kubernetes\` is among TRAINERS`)
  return files.sort().map((name) => {
    try {
      return LaunchProfile.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
    } catch (error) {
      throw new Error(`the launch profile ${name} is wrong: ${String(error)}`, { cause: error })
    }
  })
}
