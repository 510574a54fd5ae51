import { serviceNames } from '@ratchet/contracts/endpoint'
import { pairVariable } from '../../fleet/identity-variables.ts'
import { servicePairs } from '../../fleet/service-pairs.ts'
import { containersOf, type KubeObject, ofKind, selects, type Workload, workloads } from '../kube-object.ts'

/** Secrets that an operator creates before applying the manifests; k8s/README.md says how. */
export const expectedSecrets: Readonly<Record<string, readonly string[]>> = {
  'ratchet-stores': ['DATABASE_URL', 'REDIS_URL'],
  'ratchet-keys': [
    'POSTGRES_PASSWORD',
    'IDENTITY_MASTER_KEYS',
    ...serviceNames.map((name) => `${name.toUpperCase()}_IDENTITY_KEYS`),
    'JOB_TOKEN_KEYS',
    ...servicePairs.map(pairVariable),
    'ENCRYPTION_KEYS',
    'AUTH_SECRET',
  ],
}

/** The login of a service to Postgres, in `prod`. */
const loginSecrets = [...serviceNames, 'edge', 'dashboard'].map((name) => [`${name}-login`, ['DATABASE_URL']] as const)

/** Checks that everything an object references exists: settings, secrets, accounts, volumes, pods and ports of Services. */
export function referenceProblems(objects: readonly KubeObject[]): readonly string[] {
  const known = { maps: configMapsIn(objects), secrets: secretsIn(objects) }
  const accounts = new Set(ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name))
  return [
    ...workloads(objects).flatMap((workload) => [
      ...variableProblems(workload, known),
      ...volumeProblems(workload),
      ...accountProblems(workload, accounts),
    ]),
    ...ofKind(objects, 'Service').flatMap((service) => serviceProblems(service, workloads(objects))),
    ...ofKind(objects, 'Deployment').flatMap(({ metadata, spec }) => {
      const labels = spec?.template.metadata?.labels ?? {}
      const budgets = ofKind(objects, 'PodDisruptionBudget').filter((it) => selects(it.spec?.selector ?? {}, labels))
      const [budget] = budgets
      const isOne = budgets.length === 1 && budget?.spec?.maxUnavailable === 1
      return isOne && budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow'
        ? []
        : [
            `${metadata.name} needs exactly one disruption budget, with maxUnavailable 1 and unhealthyPodEvictionPolicy AlwaysAllow`,
          ]
    }),
  ]
}

type Known = Readonly<Record<'maps' | 'secrets', ReadonlyMap<string, ReadonlySet<string>>>>

function configMapsIn(objects: readonly KubeObject[]): Known['maps'] {
  return new Map(
    ofKind(objects, 'ConfigMap').map(({ metadata, data = {} }) => [metadata.name, new Set(Object.keys(data))]),
  )
}

/** Secrets that ExternalSecret objects create if there are any; else those that the operator creates. */
function secretsIn(objects: readonly KubeObject[]): Known['secrets'] {
  const made = ofKind(objects, 'ExternalSecret')
  const byHand = made.length === 0 ? [...Object.entries(expectedSecrets), ...loginSecrets] : []
  return new Map<string, ReadonlySet<string>>([
    ...byHand.map(([name, keys]) => [name, new Set(keys)] as const),
    ...made.map(
      ({ metadata, spec }) => [metadata.name, new Set(spec?.data?.map(({ secretKey }) => secretKey))] as const,
    ),
  ])
}

function variableProblems(workload: Workload, { maps, secrets }: Known): string[] {
  return containersOf(workload).flatMap(({ where, env = [], envFrom = [] }) => {
    const keys = env.flatMap(({ valueFrom: { configMapKeyRef: map, secretKeyRef: secret } = {} }) => [
      ...(map === undefined || maps.get(map.name ?? '')?.has(map.key) ? [] : [`${map.name}/${map.key}`]),
      ...(secret === undefined || secret.optional === true || secrets.get(secret.name ?? '')?.has(secret.key)
        ? []
        : [`${secret.name}/${secret.key}`]),
    ])
    const whole = envFrom.flatMap(({ configMapRef: map, secretRef: secret }) => [
      ...(map === undefined || maps.has(map.name ?? '') ? [] : [`${map.name}`]),
      ...(secret === undefined || secret.optional === true || secrets.has(secret.name ?? '') ? [] : [`${secret.name}`]),
    ])
    return [...keys, ...whole].map((missing) => `${where} references missing ${missing}`)
  })
}

function volumeProblems(workload: Workload): string[] {
  const volumes = new Set(workload.pod.volumes?.map(({ name }) => name))
  const claimed = workload.kind === 'StatefulSet' ? ['data'] : []
  return containersOf(workload).flatMap(({ where, volumeMounts = [] }) =>
    volumeMounts.flatMap(({ name }) =>
      volumes.has(name) || claimed.includes(name) ? [] : [`${where} mounts volume ${name}, which is not defined`],
    ),
  )
}

function accountProblems({ name, pod: { serviceAccountName } }: Workload, accounts: ReadonlySet<string>): string[] {
  if (serviceAccountName === undefined || accounts.has(serviceAccountName)) return []
  return [`${name} uses service account ${serviceAccountName}, which does not exist`]
}

function serviceProblems(
  { metadata: { name }, spec }: ReturnType<typeof ofKind<'Service'>>[number],
  all: readonly Workload[],
): string[] {
  const behind = all.filter(({ labels }) => selects({ matchLabels: spec?.selector ?? {} }, labels))
  if (spec?.selector === undefined || behind.length !== 1)
    return [`service ${name} selects ${behind.length} workloads, expected 1`]
  const ports = behind.flatMap(containersOf).flatMap((container) => container.ports ?? [])
  return (spec.ports ?? []).flatMap(({ port, targetPort = port }) =>
    ports.some((known) => known.name === targetPort || known.containerPort === targetPort)
      ? []
      : [`service ${name} sends to port ${targetPort}, which nothing listens on`],
  )
}
