import path from 'node:path'
import { findRenderer, manifestsFolder } from '../render.ts'
import { setField } from '../set-field.fixture.ts'
import { policies } from './all-policies.ts'

const render = findRenderer()
const onceRendered = render === null ? describe.skip : describe

onceRendered('the policy of trainers in pods', () => {
  it('lets the worker reach the API server where it starts Jobs, and nobody else', () => {
    const objects = render?.(path.join(manifestsFolder, 'overlays/trainer-jobs')) ?? []
    const problem = 'to the API server does not match its settings'
    const open = setField(objects, 'NetworkPolicy/to-kubernetes-api', 'spec.podSelector', {})
    const closed = setField(objects, 'NetworkPolicy/to-kubernetes-api', 'spec.egress', [])
    expect(policies.network?.(objects)).toEqual([])
    expect(policies.network?.(open)).toContain(`egress of edge ${problem}`)
    expect(policies.network?.(closed)).toEqual([`egress of training-worker ${problem}`])
  })
})
