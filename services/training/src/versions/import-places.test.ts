import { createImportPlaces } from './import-places.ts'

it('lets a workspace import while the uploads of another one do not end', async () => {
  const places = createImportPlaces(50)
  const never = new Promise<never>(() => undefined)
  const first = places.run('slow', () => never)
  first.catch(() => undefined)
  await expect(places.run('slow', async () => 'second')).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await places.run('other', async () => 'imported')).toBe('imported')
})
