import { removeStores } from './global-setup.ts'

export { removeStores as 'module.exports' }
