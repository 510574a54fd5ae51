import { BlockList, isIPv6 } from 'node:net'
import { type Labels, type ofKind, selects, type Workload } from './kube-object.ts'

type Policy = ReturnType<typeof ofKind<'NetworkPolicy'>>[number]
type Spec = NonNullable<Policy['spec']>
type Peer = NonNullable<NonNullable<Spec['egress']>[number]['to']>[number]
type Port = NonNullable<NonNullable<Spec['egress']>[number]['ports']>[number]

/** Who is at the other end: a pod of the namespace, one of another namespace, or an address outside. */
export type Far =
  | { readonly kind: 'pod'; readonly labels: Labels }
  | { readonly kind: 'elsewhere'; readonly namespace: string; readonly labels: Labels }
  | { readonly kind: 'address'; readonly ip: string }

/** Whether policies let a pod connect out. A pod that no policy speaks of may do anything. */
export function mayLeave(policies: readonly Policy[], from: Labels, to: Far, port: number): boolean {
  const speaking = speakingOf(policies, from, 'Egress')
  return (
    speaking.length === 0 ||
    speaking.some(({ egress = [] }) => egress.some((rule) => peers(rule.to, to) && opens(rule.ports, port)))
  )
}

/** Whether policies let a connection in to a workload. */
export function mayEnter(policies: readonly Policy[], to: Workload, from: Far, port: number): boolean {
  const speaking = speakingOf(policies, to.labels, 'Ingress')
  const named = new Map(to.pod.containers.flatMap(({ ports = [] }) => ports).map((it) => [it.name, it.containerPort]))
  return (
    speaking.length === 0 ||
    speaking.some(({ ingress = [] }) =>
      ingress.some((rule) => peers(rule.from, from) && opens(rule.ports, port, named)),
    )
  )
}

function speakingOf(policies: readonly Policy[], labels: Labels, type: 'Ingress' | 'Egress'): Spec[] {
  return policies.flatMap(({ spec }) => {
    if (spec === undefined || !selects(spec.podSelector ?? {}, labels)) return []
    return (spec.policyTypes ?? ['Ingress']).includes(type) ? [spec] : []
  })
}

function peers(rules: readonly Peer[] | undefined, far: Far): boolean {
  return rules === undefined || rules.length === 0 || rules.some((peer) => isPeer(peer, far))
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, far: Far): boolean {
  switch (far.kind) {
    case 'address':
      return ipBlock !== undefined && isWithin(ipBlock, far.ip)
    case 'pod':
      return podSelector !== undefined && namespaceSelector === undefined && selects(podSelector, far.labels)
    case 'elsewhere': {
      const labels = { 'kubernetes.io/metadata.name': far.namespace }
      return (
        namespaceSelector !== undefined && selects(namespaceSelector, labels) && selects(podSelector ?? {}, far.labels)
      )
    }
  }
}

function isWithin({ cidr, except = [] }: { readonly cidr: string; readonly except?: readonly string[] }, ip: string) {
  return listOf([cidr]).check(ip, familyOf(ip)) && !listOf(except).check(ip, familyOf(ip))
}

const lists = new Map<string, BlockList>()

/** Made once for the same ranges: the same few are asked for thousands of addresses. */
function listOf(cidrs: readonly string[]): BlockList {
  const key = cidrs.join()
  const known = lists.get(key)
  if (known !== undefined) return known
  const list = new BlockList()
  lists.set(key, list)
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function opens(
  ports: readonly Port[] | undefined,
  port: number,
  named: ReadonlyMap<string | undefined, number> = new Map(),
) {
  if (ports === undefined || ports.length === 0) return true
  return ports.some(({ port: first, endPort }) => {
    const lowest = typeof first === 'string' ? named.get(first) : first
    return lowest !== undefined && port >= lowest && port <= (endPort ?? lowest)
  })
}
