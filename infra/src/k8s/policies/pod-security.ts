import { containersOf, type KubeObject, ofKind, type Workload, workloads } from '../kube-object.ts'

type Container = ReturnType<typeof containersOf>[number]

/** Volumes that the "restricted" Pod Security standard allows. */
const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/**
 * Checks Pod Security "restricted" on every container, and two stricter rules: a read-only root filesystem, and no
 * API server token. The namespace must enforce the standard.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards
 */
export function podSecurityProblems(objects: readonly KubeObject[]): readonly string[] {
  return [
    ...namespaceProblems(objects),
    ...ofKind(objects, 'ServiceAccount').flatMap(({ metadata, automountServiceAccountToken }) =>
      automountServiceAccountToken === false ? [] : [`service account ${metadata.name} mounts its token`],
    ),
    ...workloads(objects).flatMap((workload) => [
      ...podProblems(workload),
      ...containersOf(workload).flatMap((container) => containerProblems(container, workload)),
    ]),
  ]
}

function namespaceProblems(objects: readonly KubeObject[]): string[] {
  return ofKind(objects, 'Namespace').flatMap(({ metadata: { name, labels = {} } }) =>
    labels['pod-security.kubernetes.io/enforce'] === 'restricted'
      ? []
      : [`namespace ${name} does not enforce "restricted"`],
  )
}

function podProblems({ name, pod }: Workload): string[] {
  const volumes = (pod.volumes ?? []).flatMap((volume) =>
    Object.keys(volume).filter((kind) => kind !== 'name' && !allowedVolumes.includes(kind)),
  )
  return [
    ...volumes.map((kind) => `${name} has a ${kind} volume`),
    ...(pod.hostNetwork === true || pod.hostPID === true || pod.hostIPC === true
      ? [`${name} shares a namespace of its node`]
      : []),
    ...(pod.automountServiceAccountToken === false ? [] : [`${name} mounts the token of its service account`]),
  ]
}

function containerProblems({ where, securityContext = {}, ports = [] }: Container, { pod }: Workload): string[] {
  const context = { ...pod.securityContext, ...securityContext }
  const { capabilities = {} } = securityContext
  const requirements: Readonly<Record<string, boolean>> = {
    'may run as root': context.runAsNonRoot === true,
    'does not set runAsUser': typeof context.runAsUser === 'number' && context.runAsUser > 0,
    'has no seccomp profile': ['RuntimeDefault', 'Localhost'].includes(context.seccompProfile?.type ?? ''),
    'may gain privileges': securityContext.allowPrivilegeEscalation === false && securityContext.privileged !== true,
    'does not drop all capabilities':
      capabilities.drop?.includes('ALL') === true && (capabilities.add ?? []).length === 0,
    'may write its root filesystem': securityContext.readOnlyRootFilesystem === true,
    'uses a hostPort': ports.every(({ hostPort }) => hostPort === undefined),
  }
  return Object.entries(requirements).flatMap(([problem, isMet]) => (isMet ? [] : [`${where} ${problem}`]))
}
