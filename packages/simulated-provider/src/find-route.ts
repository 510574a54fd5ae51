import { anthropicRoutes } from './wire/anthropic/anthropic-routes.ts'
import { converseRoutes } from './wire/converse/converse-routes.ts'
import { geminiRoutes } from './wire/gemini/gemini-routes.ts'
import { openAiRoutes } from './wire/openai-routes.ts'
import type { Route, ServedSurface } from './wire/wire.ts'

/** The routes of every simulated API. */
const routes: readonly Route[] = [...openAiRoutes, ...anthropicRoutes, ...geminiRoutes, ...converseRoutes]

export interface FoundRoute {
  surface: ServedSurface
  /** The model in the path; null when the body names it. */
  model: string | null
}

/** The surface at a path without a query; null when there is none. */
export function findRoute(path: string): FoundRoute | null {
  const surface = surfaces.get(path)
  if (surface !== undefined) return { surface, model: null }
  for (const { path: pattern, surface } of routes) {
    const match = typeof pattern === 'string' ? null : pattern.exec(path)
    if (match !== null) return { surface, model: decoded(match.groups?.model ?? '') }
  }
  return null
}

const surfaces = new Map(routes.map(({ path, surface }) => [path, surface]))

/** A part of a path without its percent-encoding; unchanged when the encoding is invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
