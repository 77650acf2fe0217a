-- VACUUM after some of the rows were deleted.
SELECT clock_timestamp() AS begun, processor_seconds() AS busy \gset
VACUUM page;
SELECT note('VACUUM', 'VACUUM', '', 's elapsed', extract(epoch FROM clock_timestamp() - :'begun')),
       note('VACUUM', 'VACUUM', '', 's', processor_seconds() - :busy) \g /dev/null
