import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed, searchOf } from '../../app/search.ts'
import { NewEvalSearch } from './new/new-eval-search.ts'
import { SampleSearch } from './samples/sample-search.ts'

const listRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evals',
  validateSearch: searchNamed('status', 'baseline_model', 'candidate_model', 'limit', 'offset'),
  component: lazyPage(() => import('./evals-page.tsx').then((module) => module.EvalsPage)),
})

const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evals/new',
  validateSearch: searchOf(NewEvalSearch),
  component: lazyPage(() => import('./new/new-eval-page.tsx').then((module) => module.NewEvalPage)),
})

const evalRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evals/$id',
  validateSearch: searchOf(z.object({ candidate: z.string() })),
  component: lazyPage(() => import('./report/eval-page.tsx').then((module) => module.EvalPage)),
})

const sampleRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evals/$id/samples/$n',
  validateSearch: searchOf(SampleSearch),
  component: lazyPage(() => import('./samples/sample-page.tsx').then((module) => module.SamplePage)),
})

const group = 'Samples of an eval'

export const evalsFeature = defineFeature({
  routes: [listRoute, newRoute, evalRoute, sampleRoute],
  rail: { label: 'Evals', path: 'evals', icon: 'evals', jump: 'e', order: 600 },
  commands: [
    { id: 'samples.win', keys: 'w', label: 'Only wins', group },
    { id: 'samples.loss', keys: 'l', label: 'Only losses', group },
    { id: 'samples.tie', keys: 't', label: 'Only ties', group },
    { id: 'samples.inconsistent', keys: 'i', label: 'Only inconsistent ones', group },
    { id: 'samples.all', keys: 'a', label: 'All samples', group },
    { id: 'samples.blind', keys: 'b', label: 'Compare without names', group },
    { id: 'samples.left', keys: '1', label: 'The left answer is better', group },
    { id: 'samples.right', keys: '2', label: 'The right answer is better', group },
    { id: 'samples.neither', keys: '0', label: 'Neither is better', group },
  ],
})
