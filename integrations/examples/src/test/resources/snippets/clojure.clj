(import '(dev.weir PoolConfig WeirDataSource))

(with-open [pool (WeirDataSource. (-> (PoolConfig/builder)
                                      (.url "jdbc:h2:mem:clojure")
                                      (.username "sa")
                                      (.password "")
                                      (.maximumPoolSize 20)
                                      (.build)))
            connection (.getConnection pool)
            statement (.createStatement connection)
            result (.executeQuery statement "select 42")]
  (.next result)
  (.getLong result 1))
