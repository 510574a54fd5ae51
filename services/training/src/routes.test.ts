import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import * as jobs from '@ratchet/contracts/fine-tuning'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import * as progress from '@ratchet/contracts/fine-tuning-progress'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

it('serves exactly the public endpoints of the contracts', () => {
  const exported: unknown[] = [listTrainableModels, ...Object.values(jobs), ...Object.values(progress)]
  const contracted = exported.filter((each): each is Endpoint => (each as Partial<Endpoint>).path !== undefined)
  const routes = routesOf(createApp(anything())).filter((route) => route.includes(' /v1/'))
  expect(routes).toEqual(contracted.map(operationName).toSorted())
})
