import { distillDataset } from '@ratchet/contracts/dataset-distill'
import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import * as tools from '@ratchet/contracts/environment-tools'
import * as jobs from '@ratchet/contracts/fine-tuning'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import * as progress from '@ratchet/contracts/fine-tuning-progress'
import * as runs from '@ratchet/contracts/grpo'
import * as runProgress from '@ratchet/contracts/grpo-progress'
import { testGrpoReward } from '@ratchet/contracts/grpo-reward-test'
import * as changes from '@ratchet/contracts/model-version-changes'
import * as versions from '@ratchet/contracts/model-versions'
import * as raft from '@ratchet/contracts/raft'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

it('serves exactly the public endpoints of the contracts', () => {
  const modules = [jobs, progress, raft, tools, runs, runProgress, versions, changes]
  const exported: unknown[] = [
    listTrainableModels,
    distillDataset,
    testGrpoReward,
    ...modules.flatMap((module) => Object.values<unknown>(module)),
  ]
  const contracted = exported.filter((each): each is Endpoint => (each as Partial<Endpoint>).path !== undefined)
  const routes = routesOf(createApp(anything())).filter((route) => route.includes(' /v1/'))
  expect(routes).toEqual(contracted.map(operationName).toSorted())
})
