import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed, searchOf } from '../../app/search.ts'
import { NewDatasetSearch } from './new/new-dataset-search.ts'

const listRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/datasets',
  validateSearch: searchNamed('name', 'segment', 'kind', 'limit', 'offset'),
  component: lazyPage(() => import('./datasets-page.tsx').then((module) => module.DatasetsPage)),
})

const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/datasets/new',
  validateSearch: searchOf(NewDatasetSearch),
  component: lazyPage(() => import('./new/new-dataset-page.tsx').then((module) => module.NewDatasetPage)),
})

const uploadRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/datasets/upload',
  component: lazyPage(() => import('./upload/upload-page.tsx').then((module) => module.UploadPage)),
})

const distillRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/datasets/distill',
  component: lazyPage(() => import('./distill/distill-page.tsx').then((module) => module.DistillPage)),
})

const datasetRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/datasets/$id',
  component: lazyPage(() => import('./dataset/dataset-page.tsx').then((module) => module.DatasetPage)),
})

export const datasetsFeature = defineFeature({
  routes: [listRoute, newRoute, uploadRoute, distillRoute, datasetRoute],
  rail: { label: 'Datasets', path: 'datasets', icon: 'datasets', jump: 'd', order: 800 },
})
