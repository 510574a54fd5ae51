import express, { Router } from 'express'
import { anything, routesOf } from './routes-of.ts'

it('finds every route of an app, including those of nested routers', () => {
  const [app, outer, inner] = [express(), Router(), Router()]
  inner.get('/v1/things/:id', () => undefined)
  outer
    .use(inner)
    .route('/v1/things')
    .post(() => undefined)
    .put(() => undefined)
  app.use(() => undefined)
  app.get('/healthz', () => undefined)
  app.use(outer)
  expect(routesOf(app)).toEqual(['GET /v1/things/:id', 'POST /v1/things', 'PUT /v1/things'])
})

it('replaces any dependency, also one that is copied from it', () => {
  const deps = { ...anything<{ health: { drain: { draining: boolean } } }>() }
  expect(() => deps.health.drain.draining).not.toThrow()
})
