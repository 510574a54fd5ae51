import { invalidRequest } from '@ratchet/service-kit/http/service-error'

/** A place in a list that is ordered by time and id, as clients send it back. */
export function cursorOf({ at, id }: { readonly at: Date; readonly id: bigint | string }): string {
  return `${at.getTime()}_${id}`
}

/** @throws ServiceError for anything but a cursor */
export function readCursor(text: string, idPattern: RegExp): { readonly at: Date; readonly id: string } {
  const [, time = '', id = ''] = /^(\d{1,15})_([0-9a-f-]{1,40})$/.exec(text) ?? []
  if (time === '' || !idPattern.test(id)) throw invalidRequest('after', 'This must be `next` of the page before.')
  return { at: new Date(Number(time)), id }
}
