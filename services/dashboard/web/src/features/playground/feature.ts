import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'

/** Prompts are never in an address, because addresses are stored in histories. */
const PlaygroundSearch = z.strictObject({
  /** Up to four models or aliases, divided by commas. */
  models: z.string().max(1_000).optional(),
  log: z.enum(['off']).optional(),
  diff: z.enum(['1']).optional(),
})

const playgroundRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/playground',
  validateSearch: searchOf(PlaygroundSearch),
  component: lazyPage(() => import('./playground-page.tsx').then((module) => module.PlaygroundPage)),
})

export const playgroundFeature = defineFeature({
  routes: [playgroundRoute],
  rail: { label: 'Playground', path: 'playground', icon: 'playground', jump: 'p', order: 10 },
  commands: [
    { id: 'playground.stop', keys: '$mod+.', label: 'Stop all answers', group: 'Playground' },
    { id: 'playground.column.1', keys: '1', label: 'Go to the first model', group: 'Playground' },
    { id: 'playground.column.2', keys: '2', label: 'Go to the second model', group: 'Playground' },
    { id: 'playground.column.3', keys: '3', label: 'Go to the third model', group: 'Playground' },
    { id: 'playground.column.4', keys: '4', label: 'Go to the fourth model', group: 'Playground' },
  ],
})
