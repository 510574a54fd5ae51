/** Slug of the workspace that every start ensures. */
export const demoWorkspace = 'demo'
