export {}

declare global {
  namespace Express {
    /** Fields that the fleet's middleware adds to every request. */
    interface Request {
      /** The request id, which is in every answer and log line. */
      id: string
      /** The route's pattern, for metrics. The route that matched sets it. */
      routeName?: string
      /** Who a body counts against, where it is not the workspace of an identity. */
      bodyOwner?: string
    }
  }
}
