enum ArgumentParserSkeleton {}
