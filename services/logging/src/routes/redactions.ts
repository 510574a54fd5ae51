import { redactDocuments } from '@ratchet/contracts/internal-logs'
import { mountJson } from '@ratchet/service-kit/mount-json'
import type { Router } from 'express'
import type { Redactor } from '../domain/redactor.ts'

export interface RedactionRouteDeps {
  readonly redactor: Pick<Redactor, 'examples'>
}

const maxBodyBytes = 16 * 1024 * 1024

/** Redacting what other services store. */
export function redactionRoutes(router: Router, { redactor }: RedactionRouteDeps): void {
  mountJson(router, redactDocuments, {
    maxBodyBytes,
    async handle({ body }) {
      const redacted = await redactor.examples(body.documents)
      const data = redacted.map((each) =>
        each.kind === 'done' ? { kind: each.kind, document: each.value.text } : { kind: each.kind },
      )
      return { reply: { data } }
    },
  })
}
