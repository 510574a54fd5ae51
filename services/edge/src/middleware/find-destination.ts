import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHandler } from 'express'
import type { EndpointIndex } from '../domain/endpoint-index.ts'
import { passageOf } from '../passage.ts'

/** Finds the endpoint a request is for, or says that the URL or the method does not exist. */
export function findDestination(endpoints: EndpointIndex): RequestHandler {
  return (request, _response, next) => {
    const passage = passageOf(request)
    const lookup = endpoints.find(request.method, passage.target.path)
    switch (lookup.kind) {
      case 'found':
        passage.destination = lookup.destination
        request.routeName = lookup.destination.pattern
        return next()
      case 'unknown-url':
        throw new ServiceError('unknown_url', 'No such URL.')
      case 'other-method':
        throw new ServiceError('method_not_allowed', `This URL answers ${lookup.allow}.`, {
          headers: { allow: lookup.allow },
        })
      default:
        return lookup satisfies never
    }
  }
}
