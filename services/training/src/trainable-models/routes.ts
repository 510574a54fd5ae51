import { listTrainableModels, type VersionServer } from '@ratchet/contracts/fine-tuning-models'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { ModelDirectory } from './model-directory.ts'
import { type TrainerCapacity, trainableModelReply } from './trainable-model.ts'

/** How busy the trainers are. */
export interface Occupancy {
  /** By trainer. */
  readonly capacities: ReadonlyMap<string, TrainerCapacity>
  /** Queued jobs of all workspaces, by base model. */
  readonly queued: ReadonlyMap<string, number>
}

export interface ModelRouteDeps {
  readonly models: ModelDirectory
  readonly occupancy: () => Promise<Occupancy>
  readonly servedBy: (model: string) => readonly VersionServer[]
}

export function modelRoutes(router: Router, { models, occupancy, servedBy }: ModelRouteDeps): void {
  mount(router, listTrainableModels, async ({ identity }) => {
    const [found, { capacities, queued }] = await Promise.all([models.list(identity), occupancy()])
    return found.map((model) => {
      const { id } = model
      return trainableModelReply(model, { capacities, queueLength: queued.get(id) ?? 0, servedBy: servedBy(id) })
    })
  })
}
