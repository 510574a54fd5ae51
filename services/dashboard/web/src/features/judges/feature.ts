import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed, searchOf } from '../../app/search.ts'

/** What a suggestion or a segment fills in. The endpoint has stricter limits, which the form shows. */
const NewJudgeSearch = z.object({
  name: z.string().max(1_000),
  judge_prompt: z.string().max(100_000),
  description: z.string().max(10_000),
  source: z.string().max(100),
  population_family: z.string().max(200),
})
const runId = z.string().max(100)

const listRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/judges',
  validateSearch: searchNamed('status', 'trust', 'unit', 'population', 'limit', 'offset'),
  component: lazyPage(() => import('./list/judges-page.tsx').then((module) => module.JudgesPage)),
})

const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/judges/new',
  validateSearch: searchOf(NewJudgeSearch),
  component: lazyPage(() => import('./create/new-judge-page.tsx').then((module) => module.NewJudgePage)),
})

const suggestionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/judges/suggestions',
  validateSearch: searchOf(z.object({ suggestion: runId })),
  component: lazyPage(() => import('./create/suggestions-page.tsx').then((module) => module.SuggestionsPage)),
})

const judgeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/judges/$judge',
  component: lazyPage(() => import('./detail/judge-layout.tsx').then((module) => module.JudgeLayout)),
})

const tabs = [
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/',
    component: lazyPage(() => import('./evidence/evidence-tab.tsx').then((module) => module.EvidenceTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/try',
    component: lazyPage(() => import('./create/try-tab.tsx').then((module) => module.TryTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/confusion',
    validateSearch: searchOf(z.object({ cell: z.enum(['tp', 'fn', 'fp', 'tn']) })),
    component: lazyPage(() => import('./confusion/confusion-tab.tsx').then((module) => module.ConfusionTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/verdicts',
    validateSearch: searchNamed('verdict', 'source', 'log_id', 'start', 'end', 'limit', 'offset'),
    component: lazyPage(() => import('./verdicts/verdicts-tab.tsx').then((module) => module.VerdictsTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/scans',
    validateSearch: searchOf(z.object({ scan: runId })),
    component: lazyPage(() => import('./scans/scans-tab.tsx').then((module) => module.ScansTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/monitor',
    component: lazyPage(() => import('./monitor/monitor-tab.tsx').then((module) => module.MonitorTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/improve',
    validateSearch: searchOf(z.object({ improvement: runId })),
    component: lazyPage(() => import('./improve/improve-tab.tsx').then((module) => module.ImproveTab)),
  }),
  createRoute({
    getParentRoute: () => judgeRoute,
    path: '/prompt',
    validateSearch: searchOf(z.object({ example: z.string().max(100), calibration: runId })),
    component: lazyPage(() => import('./prompt/prompt-tab.tsx').then((module) => module.PromptTab)),
  }),
] as const

export const judgesFeature = defineFeature({
  routes: [listRoute, newRoute, suggestionsRoute, judgeRoute.addChildren(tabs)],
  rail: { label: 'Judges', path: 'judges', icon: 'judges', jump: 'j', order: 500 },
})
