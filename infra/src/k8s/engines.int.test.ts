import { readFileSync } from 'node:fs'
import path from 'node:path'
import { schemaProblems } from './check-schema.ts'
import { type KubeObject, ofKind, workloads } from './kube-object.ts'
import { egressAllowed } from './network-reach.ts'
import { podSecurityProblems } from './policies/pod-security.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()
const onceRendered = render === null ? describe.skip : describe

onceRendered('the namespace of engines', () => {
  const objects = render?.(path.join(manifestsFolder, 'engines')) ?? []

  it('has objects that the API server accepts, all in that namespace', async () => {
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(objects)).toEqual([])
    const namespaces = objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [] : [metadata.namespace]))
    expect([...new Set(namespaces)]).toEqual(['ratchet-engines'])
  })

  it('lets an engine reach nobody', () => {
    const policies = ofKind(objects, 'NetworkPolicy')
    for (const ip of ['8.8.8.8', '169.254.169.254', '10.20.30.40']) {
      expect(egressAllowed(policies, { 'app.kubernetes.io/name': 'engine' }, { kind: 'address', ip }, 443)).toBe(false)
    }
  })
})

it('starts what the namespace accepts, without a token, with probes and a place for adapters', async () => {
  const file = path.join(manifestsFolder, 'components/serving-engines/profiles/vllm.json')
  const { manifest } = JSON.parse(readFileSync(file, 'utf8')) as { readonly manifest: KubeObject }
  const pod = { ...manifest, metadata: { ...manifest.metadata, name: 'engine' } } as KubeObject
  expect(await schemaProblems(pod)).toEqual([])
  expect(podSecurityProblems([pod])).toEqual([])
  const [workload] = workloads([pod])
  expect(workload?.pod).toMatchObject({ automountServiceAccountToken: false, terminationGracePeriodSeconds: 660 })
  expect(workload?.pod.containers.map(({ name }) => name)).toEqual(['engine', 'adapters'])
})
