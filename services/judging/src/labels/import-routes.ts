import { importLabels, type LabelImportSummary } from '@ratchet/contracts/labels'
import { jsonLinesTypes } from '@ratchet/contracts/log-import'
import { bodyBytes, mediaTypeOf } from '@ratchet/service-kit/http/body-bytes'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { type ImportDeps, type ImportOrder, importLabels as importLines } from './import-labels.ts'

type Order = Pick<ImportOrder, 'identity' | 'criterionId'>

export function importLabelRoutes(router: Router, deps: ImportDeps): void {
  mountRaw(router, importLabels, async ({ identity, query, request }, response) => {
    const summary = await readImport(deps, { identity, criterionId: query.criterion_id }, request)
    response.status(importLabels.status).json(importLabels.reply.parse(summary))
  })
}

function readImport(deps: ImportDeps, order: Order, request: Request): Promise<LabelImportSummary> {
  if (isForm(request)) return readFormImport(deps, order, request)
  const type = mediaTypeOf(request)
  if (jsonLinesTypes.some((each) => each === type)) {
    return bodyBytes(request, importLabels.maxBodyBytes, (content) =>
      importLines(deps, { ...order, content, confirm: async () => undefined }),
    )
  }
  request.resume()
  const message = `Send the grades as ${importLabels.bodyTypes.join(', ')}.`
  throw new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}

function readFormImport(deps: ImportDeps, order: Order, request: Request): Promise<LabelImportSummary> {
  return readForm(request, {
    fields: ['criterion_id'],
    maxFileBytes: importLabels.maxBodyBytes,
    async onFile({ content, fieldsAhead }, fields) {
      const { criterion_id: ahead } = fieldsAhead()
      const criterionId = oneOf(order.criterionId, ahead)
      const confirm = async () => {
        if ((await fields).criterion_id !== ahead) throw tooLate()
      }
      return importLines(deps, { ...order, criterionId, content, confirm })
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
