import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { schemaProblems } from './check-schema.ts'
import { type KubeObject, ofKind, workloads } from './kube-object.ts'
import { egressAllowed, type Peer } from './network-reach.ts'
import { podSecurityProblems } from './policies/pod-security.ts'
import { workloadProblems } from './policies/workload-rules.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()
const onceRendered = render === null ? describe.skip : describe
const components = path.join(manifestsFolder, 'components')

onceRendered('the namespace of trainers', () => {
  const objects = render?.(path.join(manifestsFolder, 'trainers')) ?? []
  const policies = ofKind(objects, 'NetworkPolicy')
  const trainer = { 'app.kubernetes.io/name': 'trainer' }
  const may = (to: Peer, port: number) => egressAllowed(policies, trainer, to, port)

  it('has objects that the API server accepts, all in that namespace', async () => {
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(objects)).toEqual([])
    const namespaces = objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [] : [metadata.namespace]))
    expect([...new Set(namespaces)]).toEqual(['ratchet-trainers'])
  })

  it('lets a trainer reach the service `training` and no other', () => {
    const fleet = (name: string): Peer => ({
      kind: 'elsewhere',
      namespace: 'ratchet',
      labels: { 'app.kubernetes.io/name': name },
    })
    expect(may(fleet('training'), 8094)).toBe(true)
    expect(may(fleet('training'), 9090)).toBe(false)
    for (const other of ['inference', 'logging', 'edge']) expect(may(fleet(other), 8081)).toBe(false)
    for (const ip of ['8.8.8.8', '169.254.169.254', '10.20.30.40']) {
      expect([ip, may({ kind: 'address', ip }, 443), may({ kind: 'address', ip }, 5432)]).toEqual([ip, false, false])
    }
    expect(may({ kind: 'pod', labels: trainer }, 8094)).toBe(false)
  })

  it('lets the worker write secrets, and read none', () => {
    const rules = objects.flatMap((object) => (object.kind === 'Role' ? (object as unknown as Role).rules : []))
    const verbs = rules.filter(({ resources }) => resources.includes('secrets')).flatMap((rule) => rule.verbs)
    expect(verbs).toEqual(['create'])
    expect(rules.flatMap((rule) => rule.verbs)).not.toContain('*')
  })
})

interface Role {
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[]
}

interface Profile {
  readonly models: readonly string[]
  readonly manifest: KubeObject & { readonly spec: object }
}

function profilesOf(component: string): readonly Profile[] {
  const folder = path.join(components, component, 'profiles')
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Profile)
}

describe('launch profiles', () => {
  it.each(['training-jobs', 'training-jobs-kueue'])(
    'of components/%s start what the namespace accepts',
    async (name) => {
      const [{ manifest } = { manifest: undefined }] = profilesOf(name)
      const job = { ...manifest, metadata: { ...manifest?.metadata, name: 'job' } } as KubeObject
      expect(await schemaProblems(job)).toEqual([])
      expect([...podSecurityProblems([job]), ...workloadProblems([job])]).toEqual([])
      const [workload] = workloads([job])
      expect(workload?.pod).toMatchObject({ restartPolicy: 'Never', terminationGracePeriodSeconds: 660 })
      // Repetitions are the product's own.
      expect(manifest?.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: expect.any(Number) })
    },
  )

  it('are one for every model, others for models that need several nodes, and one whose Jobs wait in queues of Kueue', () => {
    expect(profilesOf('training-jobs')).toMatchObject([{ models: ['*'], manifest: { kind: 'Job' } }])
    expect(profilesOf('training-jobs-nodes').map(({ manifest }) => manifest.kind)).toEqual(['RayJob', 'TrainJob'])
    expect(profilesOf('training-jobs-kueue')[0]?.manifest).toMatchObject({
      spec: { suspend: true },
    })
    // The worker names the queue of the workspace, and may create it.
    expect(profilesOf('training-jobs-kueue')[0]).toMatchObject({ queue: { clusterQueue: 'ratchet-trainers' } })
    expect(profilesOf('training-jobs-kueue')[0]?.manifest.metadata?.labels).toBeUndefined()
  })
})
