import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jobManifest, tokenManifest, trainerLabel } from '@ratchet/training/trainers/kubernetes/job-manifest'
import { TrainerProfile } from '@ratchet/training/trainers/kubernetes/profile'
import { schemaProblems } from './check-schema.ts'
import type { KubeObject } from './kube-object.ts'
import { policies } from './policies/all-policies.ts'
import { podSecurityProblems } from './policies/pod-security.ts'
import { workloadProblems } from './policies/workload-rules.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()

const foldersIn = (name: string) => readdirSync(path.join(manifestsFolder, name)).map((folder) => `${name}/${folder}`)
const roots = ['base', ...foldersIn('overlays')]
const components = foldersIn('components')

const rendered = new Map<string, readonly KubeObject[]>()

function objectsOf(root: string): readonly KubeObject[] {
  const known = rendered.get(root) ?? render?.(path.join(manifestsFolder, root)) ?? []
  rendered.set(root, known)
  return known
}

/** Renders production with every component, as an operator's own overlay would be. */
function renderEverything(): readonly KubeObject[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'overlay-'))
  try {
    const from = (name: string) => path.relative(folder, path.join(manifestsFolder, name))
    const kustomization = { resources: [from('overlays/prod')], components: components.map(from) }
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
    return render?.(folder) ?? []
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const onceRendered = render === null ? describe.skip : describe

onceRendered.each([...roots, 'production with every component'])('%s', (root) => {
  const objects = roots.includes(root) ? objectsOf(root) : renderEverything()

  it('has objects that the API server accepts, without unknown fields', async () => {
    const problems = await Promise.all(objects.map(schemaProblems))

    expect(problems.flat()).toEqual([])
    expect(objects.length).toBeGreaterThan(60)
  })

  it.each(Object.entries(policies))('keeps the policy %s', (_name, problemsIn) => {
    expect(problemsIn(objects)).toEqual([])
  })
})

onceRendered('trainers', () => {
  const objects = objectsOf('trainers')
  const ofNetwork = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly NetworkPolicy[]

  it('has objects that the API server accepts, in a namespace of their own', async () => {
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    const namespaces = objects.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace)
    expect([...new Set(namespaces)]).toEqual(['ratchet-trainers'])
  })

  it('lets the worker create, read and delete Jobs, and read no secret', () => {
    const role = objects.find(({ kind }) => kind === 'Role') as unknown as { rules: { verbs: string[] }[] }
    expect(role.rules).toEqual([
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'get', 'list', 'delete'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ])
    const [{ subjects } = { subjects: [] }] = objects.filter(({ kind }) => kind === 'RoleBinding') as unknown as {
      subjects: object[]
    }[]
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'training-worker', namespace: 'ratchet' }])
  })

  it('lets trainers reach the API of training and names of hosts, and nobody reach them', () => {
    const [denied, allowed] = ofNetwork
    expect(denied?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    expect(allowed?.spec.podSelector).toEqual({ matchLabels: { [trainerLabel.name]: trainerLabel.value } })
    expect(allowed?.spec.ingress).toBeUndefined()
    expect(allowed?.spec.egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([8094, 53, 53])
  })

  it('accepts the pods of Jobs as the worker makes them', async () => {
    const text = readFileSync(path.join(manifestsFolder, 'components/trainer-jobs/profile.json'), 'utf8')
    const order = { name: 'train-1', url: 'http://training.ratchet.svc:8094', token: 't' }
    const options = { profile: TrainerProfile.parse(JSON.parse(text)), queue: 'trainers', graceSeconds: 660 }
    const made = [jobManifest(order, options), tokenManifest(order, 'uid')] as unknown as KubeObject[]
    expect((await Promise.all(made.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(made)).toEqual([])
  })
})

interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: object
    readonly ingress?: readonly object[]
    readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[]
  }
}

onceRendered('admin', () => {
  const objects = objectsOf('admin')

  it('is a pod that the namespace accepts', async () => {
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(objects)).toEqual([])
    expect(workloadProblems(objects)).toEqual([])
  })
})
