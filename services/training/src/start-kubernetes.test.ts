import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProfiles } from './start-kubernetes.ts'
import { manifestOf } from './trainers/kubernetes/launch-profile.ts'

const scope = { namespace: 'trainers', owner: 'ratchet' }
const order = {
  name: 'train-1',
  url: 'http://training:8094',
  token: 'a token',
  model: 'any/model',
  workspaceId: '0a000000-0000-4000-8000-000000000001',
}

it.each([
  ['training-jobs', ['Job']],
  ['training-jobs-kueue', ['Job']],
  ['training-jobs-nodes', ['RayJob', 'TrainJob']],
])('reads the profiles that k8s/components/%s ships, and starts a trainer with each', (component, kinds) => {
  const folder = join(import.meta.dirname, '../../../k8s/components', component, 'profiles')
  const made = readProfiles(folder).map((profile) => manifestOf(profile, order, scope))
  expect(made.map(({ kind }) => kind)).toEqual(kinds)
  for (const manifest of made) expect(JSON.stringify(manifest)).toContain('"RATCHET_JOB_TOKEN"')
})

it('names the file that is wrong, and refuses a folder without profiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'profiles-'))
  try {
    expect(() => readProfiles(folder)).toThrow('no launch profile')
    writeFileSync(join(folder, 'gpu.json'), '{"models":[]}')
    expect(() => readProfiles(folder)).toThrow('gpu.json')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
