import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { z } from 'zod'
import { createHttpKubeJobs } from './trainers/kubernetes/http-kube-jobs.ts'
import { createKubernetesTrainer } from './trainers/kubernetes/kubernetes-trainer.ts'
import { TrainerProfile } from './trainers/kubernetes/profile.ts'
import type { Trainer } from './trainers/trainer.ts'

/** Settings of the trainer `kubernetes`. By default those of a pod that has a service account. */
export const kubernetesConfig = {
  /** A JSON file that says what pods of trainers are like. */
  KUBERNETES_PROFILE: z.string().min(1).optional(),
  /** The namespace of their Jobs, which has those of no other installation. */
  KUBERNETES_NAMESPACE: z.string().min(1).default('ratchet-trainers'),
  /** A LocalQueue of Kueue that decides when a Job starts; absent: Jobs start at once. */
  KUBERNETES_QUEUE: z.string().min(1).optional(),
  KUBERNETES_URL: z.url({ protocol: /^https?$/ }).default('https://kubernetes.default.svc'),
  KUBERNETES_ACCOUNT_DIR: z.string().min(1).default('/var/run/secrets/kubernetes.io/serviceaccount'),
}
const KubernetesConfig = z.object(kubernetesConfig)

export interface KubernetesParts {
  readonly slots: number
  readonly graceSeconds: number
  readonly now: () => Date
  readonly onStop: OnStop
}

/** @throws Error when the profile cannot be used */
export function startKubernetesTrainer(
  config: z.output<typeof KubernetesConfig>,
  { onStop, ...parts }: KubernetesParts,
): Trainer {
  const { KUBERNETES_PROFILE: file, KUBERNETES_ACCOUNT_DIR: account, KUBERNETES_NAMESPACE: namespace } = config
  if (file === undefined) throw new Error('KUBERNETES_PROFILE is missing, but `kubernetes` is among TRAINERS')
  const read = TrainerProfile.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!read.success) throw new Error(`KUBERNETES_PROFILE ${file}: ${z.prettifyError(read.error)}`)
  const isSecure = config.KUBERNETES_URL.startsWith('https:')
  const { jobs, close } = createHttpKubeJobs({
    url: config.KUBERNETES_URL,
    namespace,
    ca: isSecure ? readFileSync(`${account}/ca.crt`, 'utf8') : undefined,
    readToken: () => readFile(`${account}/token`, 'utf8'),
  })
  onStop(close)
  return createKubernetesTrainer({ ...parts, jobs, profile: read.data, queue: config.KUBERNETES_QUEUE ?? null })
}
