import { importLabels, type LabelImportSummary } from '@ratchet/contracts/labels'
import { jsonLinesTypes } from '@ratchet/contracts/log-import'
import { answerOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { bodyBytes, mediaTypeOf } from '@ratchet/service-kit/http/body-bytes'
import type { BodyDigest } from '@ratchet/service-kit/http/body-digest'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { type ImportDeps, type ImportOrder, importLabels as importLines } from './import-labels.ts'

/** Imports the lines of a request, or only reads them. */
type TakeLines<T> = (order: Pick<ImportOrder, 'criterionId' | 'content' | 'confirm'>) => Promise<T>

export function importLabelRoutes(router: Router, deps: ImportDeps & OnceDeps): void {
  mountRaw(router, importLabels, async ({ identity, query, request }, response) => {
    const { answer, headers } = await answerOnce<LabelImportSummary>(deps, {
      request,
      identity,
      endpoint: importLabels.path,
      read: (digest) => readImport(query.criterion_id, request, reading(digest)),
      make: (digest) =>
        readImport(query.criterion_id, request, (order) =>
          importLines(deps, { ...order, identity, content: counted(digest, order) }),
        ),
    })
    response.status(importLabels.status).set(headers).json(importLabels.reply.parse(answer))
  })
}

function reading(digest: BodyDigest): TakeLines<void> {
  return async (order) => {
    for await (const _ of counted(digest, order));
    await order.confirm()
  }
}

function counted(digest: BodyDigest, { criterionId, content }: Pick<ImportOrder, 'criterionId' | 'content'>) {
  digest.add(criterionId ?? '')
  return digest.through(content)
}

function readImport<T>(criterionId: string | undefined, request: Request, take: TakeLines<T>): Promise<T> {
  if (isForm(request)) return readFormImport(criterionId, request, take)
  const type = mediaTypeOf(request)
  if (jsonLinesTypes.some((each) => each === type)) {
    return bodyBytes(request, importLabels.maxBodyBytes, (content) =>
      take({ criterionId, content, confirm: async () => undefined }),
    )
  }
  request.resume()
  const message = `Send the grades as ${importLabels.bodyTypes.join(', ')}.`
  throw new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}

function readFormImport<T>(inQuery: string | undefined, request: Request, take: TakeLines<T>): Promise<T> {
  return readForm(request, {
    fields: ['criterion_id'],
    maxFileBytes: importLabels.maxBodyBytes,
    async onFile({ content, fieldsAhead }, fields) {
      const { criterion_id: ahead } = fieldsAhead()
      const criterionId = oneOf(inQuery, ahead)
      const confirm = async () => {
        if ((await fields).criterion_id !== ahead) throw tooLate()
      }
      return take({ criterionId, content, confirm })
    },
  })
}

function oneOf(inQuery: string | undefined, inForm: string | undefined): string | undefined {
  if (inQuery === undefined || inForm === undefined || inQuery === inForm) return inQuery ?? inForm
  throw new ServiceError('invalid_request', 'The criterion_id of the query and of the form differ.', {
    param: 'criterion_id',
  })
}

/** Lines before the field may be imported already, and grades are permanent. */
function tooLate(): ServiceError {
  const message =
    'Send `criterion_id` before the file or in the query. If the file has more than 200 lines, some were imported without it.'
  return new ServiceError('invalid_request', message, { param: 'criterion_id' })
}
