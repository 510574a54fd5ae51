import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { schemaProblems } from './check-schema.ts'
import { ofKind, workloads } from './kube-object.ts'
import { ingressAllowed, type Peer } from './network-reach.ts'
import { podSecurityProblems } from './policies/pod-security.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()
const onceRendered = render === null ? it.skip : it

onceRendered('the component of telephones opens workers to trunks, and to nobody else', async () => {
  const folder = mkdtempSync(path.join(manifestsFolder, 'overlays', 'sip-test-'))
  try {
    const kustomization = 'resources: [../prod]\ncomponents: [../../components/sip]\n'
    writeFileSync(path.join(folder, 'kustomization.yaml'), kustomization)
    const objects = render?.(folder) ?? []
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(objects)).toEqual([])
    const [worker] = workloads(objects).filter(({ name }) => name === 'voice-worker')
    if (worker === undefined) throw new Error('no worker')
    expect(worker.pod.containers[0]?.env?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['SIP_LISTEN', 'SIP_PUBLIC_ADDRESS', 'RTP_PORTS']),
    )
    const policies = ofKind(objects, 'NetworkPolicy')
    const may = (ip: string, port: number) => ingressAllowed(policies, worker, { kind: 'address', ip } as Peer, port)
    expect([may('198.51.100.7', 5_060), may('203.0.113.9', 5_060), may('198.51.100.7', 8_097)]).toEqual([
      true,
      false,
      false,
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
