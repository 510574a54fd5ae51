import { BlockList, isIPv6 } from 'node:net'
import { type Labels, type ofKind, selects, type Workload } from './kube-object.ts'

type Policy = ReturnType<typeof ofKind<'NetworkPolicy'>>[number]
type Spec = NonNullable<Policy['spec']>
type PolicyPeer = NonNullable<NonNullable<Spec['egress']>[number]['to']>[number]
type Port = NonNullable<NonNullable<Spec['egress']>[number]['ports']>[number]

/** The other end of a connection: a pod of the namespace, a pod of another namespace, or an address outside. */
export type Peer =
  | { readonly kind: 'pod'; readonly labels: Labels }
  | { readonly kind: 'elsewhere'; readonly namespace: string; readonly labels: Labels }
  | { readonly kind: 'address'; readonly ip: string }

/** Whether policies allow a pod to connect out. A pod that no policy selects may connect anywhere. */
export function egressAllowed(policies: readonly Policy[], from: Labels, to: Peer, port: number): boolean {
  const applicable = applicablePolicies(policies, from, 'Egress')
  return (
    applicable.length === 0 ||
    applicable.some(({ egress = [] }) => egress.some((rule) => peers(rule.to, to) && opens(rule.ports, port)))
  )
}

/** Whether policies allow a connection to a workload. */
export function ingressAllowed(policies: readonly Policy[], to: Workload, from: Peer, port: number): boolean {
  const applicable = applicablePolicies(policies, to.labels, 'Ingress')
  const named = new Map(to.pod.containers.flatMap(({ ports = [] }) => ports).map((it) => [it.name, it.containerPort]))
  return (
    applicable.length === 0 ||
    applicable.some(({ ingress = [] }) =>
      ingress.some((rule) => peers(rule.from, from) && opens(rule.ports, port, named)),
    )
  )
}

function applicablePolicies(policies: readonly Policy[], labels: Labels, type: 'Ingress' | 'Egress'): Spec[] {
  return policies.flatMap(({ spec }) => {
    if (spec === undefined || !selects(spec.podSelector ?? {}, labels)) return []
    return (spec.policyTypes ?? ['Ingress']).includes(type) ? [spec] : []
  })
}

function peers(rules: readonly PolicyPeer[] | undefined, far: Peer): boolean {
  return rules === undefined || rules.length === 0 || rules.some((peer) => isPeer(peer, far))
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, far: Peer): boolean {
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

/** Cached by its ranges, because the same few lists are used for thousands of addresses. */
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
