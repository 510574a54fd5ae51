import { redactDocuments } from '@ratchet/contracts/internal-logs'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import type { Redactor } from './redactor.ts'

export interface RedactionRouteDeps {
  readonly redactor: Pick<Redactor, 'examples'>
}

/** Redacts documents for other services before they store them. */
export function redactionRoutes(router: Router, { redactor }: RedactionRouteDeps): void {
  mountJson(router, redactDocuments, async ({ body, identity }) => {
    const redacted = await redactor.examples(identity.workspaceId, body.documents)
    const data = redacted.map((each) =>
      each.kind === 'done' ? { kind: each.kind, document: each.value.text } : { kind: each.kind },
    )
    return { reply: { data } }
  })
}
